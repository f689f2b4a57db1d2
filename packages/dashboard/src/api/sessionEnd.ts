import { Atom, type AtomRegistry } from "effect/reactivity"

/** Whether the session has ended while the page was open. The page stays as it is, so that no input is lost. */
export const sessionEndedAtom = Atom.keepAlive(Atom.make(false))

let noted: AtomRegistry.AtomRegistry | undefined

/** Names the registry in which an ended session and a missing workspace are noted. */
export const noteSessionEndIn = (registry: AtomRegistry.AtomRegistry) => {
  noted = registry
}

export const sessionEnded = () => noted?.set(sessionEndedAtom, true)

/**
 * Whether a response said that a workspace does not exist. It may be the chosen one, which was deleted, or another one that a form
 * names: the session knows.
 */
export const workspaceDoubtedAtom = Atom.keepAlive(Atom.make(false))

export const workspaceDoubted = () => noted?.set(workspaceDoubtedAtom, true)
