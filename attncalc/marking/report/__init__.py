"""What a student reads: verdicts, points, reasons."""
