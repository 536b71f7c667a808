"""The human study (LREC 2020, section 5): blinded sheets of headlines, a page to annotate them, agreement with each other and with judges."""
