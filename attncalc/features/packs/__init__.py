"""Assignments for Gradescope, PrairieLearn and Moodle."""
