import { Argument } from "effect/cli"

export const connection = Argument.String("connection").pipe(
  Argument.withDescription("Id of the grid connection, as edp grid list shows it")
)
