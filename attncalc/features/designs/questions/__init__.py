"""Questions other than to find the steps."""
