//! Part of gimmal.
