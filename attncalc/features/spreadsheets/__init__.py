"""Solutions and worksheets as spreadsheets: every entry a formula, read off the rule of its cell."""
