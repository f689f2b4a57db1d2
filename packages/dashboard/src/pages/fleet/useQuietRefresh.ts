import { Atom, type AsyncResult } from "effect/reactivity"
import { useContext, useEffect, useEffectEvent } from "react"
import { keys } from "../../api/makeApi.ts"
import { RegistryContext } from "../../state/atoms.ts"

/** Queries of a large fleet are read again at most this often, in milliseconds. */
const PAUSE = 5000

/** Has a new value after each change of a device, a site or an alert. */
const changesAtom = Atom.withReactivity(keys("devices", "sites", "alerts"))(Atom.make(() => ({})))

type Query = Atom.Atom<AsyncResult.AsyncResult<unknown, unknown>>

/**
 * Reads queries again after changes, some seconds later and never while they are being read. A query with reactivity keys would be
 * interrupted by each change: where changes come faster than counts of a large fleet, it would have no response.
 */
export const useQuietRefresh = (queries: ReadonlyArray<Query>) => {
  const registry = useContext(RegistryContext)
  const shown = useEffectEvent(() => queries)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      const present = shown()
      const idle = present.filter((query) => !registry.get(query).waiting)
      if (idle.length < present.length) timer = setTimeout(refresh, PAUSE)
      for (const query of idle) registry.refresh(query)
    }
    const end = registry.subscribe(changesAtom, () => {
      timer ??= setTimeout(refresh, PAUSE)
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [registry])
}
