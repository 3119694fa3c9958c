"""The treasury: what is owed on the day of payment, receiving, the receipt, reversals, the till."""
