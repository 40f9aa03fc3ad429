"""Whole documents: the worked solution part by part, and the sheet to hand out."""
