//! A simulated exchange on the loopback interface.
