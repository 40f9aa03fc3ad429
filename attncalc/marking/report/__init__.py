"""What a student is told: verdicts, points, reasons."""
