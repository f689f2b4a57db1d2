import { Atom } from "effect/reactivity"

/** The state of the live stream. */
export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** The stream broke, and the page tries again. */
  | { readonly kind: "offline"; readonly since: number }

export const connectionAtom = Atom.keepAlive(Atom.make<Connection>({ kind: "connecting" }))
