//! Nothing: this package is there for what it depends on.
#![no_std]
