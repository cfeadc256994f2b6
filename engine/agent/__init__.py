"""Building and running agents: settings, the builder, the runner, and the offline demos."""
