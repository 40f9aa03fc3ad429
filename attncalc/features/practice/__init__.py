"""Practice: one step asked after the other, answers judged, hints that climb and give nothing away."""
