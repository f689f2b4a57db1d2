import type { Atom } from "effect/reactivity"
import { useContext, useEffect, useEffectEvent } from "react"
import { RegistryContext } from "../state/atoms.ts"

/** The live stream does not tell of polls. */
const REFRESH_MS = 15_000

/** Reads queries again while the page is in view. */
export const useRereading = (queries: ReadonlyArray<Atom.Atom<unknown>>) => {
  const registry = useContext(RegistryContext)
  const read = useEffectEvent(() => {
    if (document.visibilityState !== "visible") return
    for (const query of queries) registry.refresh(query)
  })
  useEffect(() => {
    const timer = setInterval(() => read(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
}
