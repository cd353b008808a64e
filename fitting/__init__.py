"""How the parameters of the local judge were fitted. Not part of the product."""
