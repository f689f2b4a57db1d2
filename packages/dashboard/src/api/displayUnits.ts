import { Atom } from "effect/reactivity"
import { apiUnits, type DisplayUnits } from "../i18n/units.ts"
import { useAtomValue } from "../state/atoms.ts"
import { workspaceAtom } from "./session.ts"

const unitsAtom = Atom.make((get): DisplayUnits => get(workspaceAtom) ?? apiUnits)

/** The units in which the chosen workspace shows temperatures and distances. */
export const useDisplayUnits = (): DisplayUnits => useAtomValue(unitsAtom)
