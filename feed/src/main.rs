//! The command `gimmal-feed`.

fn main() {
    println!("{:?}", gimmal_feed::venue::Venue::Spot);
}
