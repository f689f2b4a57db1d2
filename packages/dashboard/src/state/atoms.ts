import { Cause, Effect, Exit, Option } from "effect"
import { AsyncResult, Atom, AtomRegistry } from "effect/reactivity"
import { createContext, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react"

/** The registry that holds the atoms of the page. Atoms that nothing shows are dropped after the time to live. */
export const makeRegistry = () => AtomRegistry.make({ defaultIdleTTL: 30_000 })

export const RegistryContext = createContext<AtomRegistry.AtomRegistry>(makeRegistry())

/** The value of an atom. The component renders again when it changes. */
export const useAtomValue = <A>(atom: Atom.Atom<A>): A => {
  const registry = useContext(RegistryContext)
  const store = useMemo(
    () => ({
      subscribe: (changed: () => void) => registry.subscribe(atom, changed),
      snapshot: () => registry.get(atom)
    }),
    [registry, atom]
  )
  return useSyncExternalStore(store.subscribe, store.snapshot)
}

/** A function that sets an atom. */
export const useAtomSet = <R, W>(atom: Atom.Writable<R, W>): ((value: W) => void) => {
  const registry = useContext(RegistryContext)
  useEffect(() => registry.mount(atom), [registry, atom])
  return useCallback((value: W) => registry.set(atom, value), [registry, atom])
}

/** A function that reads an atom's query again. */
export const useAtomRefresh = <A>(atom: Atom.Atom<A>): (() => void) => {
  const registry = useContext(RegistryContext)
  return useCallback(() => registry.refresh(atom), [registry, atom])
}

/** Starts queries that are shown further down, once the response to another one is there. */
export const useStarted = (queries: ReadonlyArray<Atom.Atom<unknown>>) => {
  const registry = useContext(RegistryContext)
  useEffect(() => {
    for (const query of queries) registry.get(query)
  })
}

/** A mutation as a function that resolves with its response, or rejects with its error. */
export const useMutation = <In, A, E>(atom: Atom.AtomResultFn<In, A, E>): ((input: In) => Promise<A>) => {
  const registry = useContext(RegistryContext)
  useEffect(() => registry.mount(atom), [registry, atom])
  return useCallback(
    async (input: In) => {
      registry.set(atom, input)
      const exit = await Effect.runPromiseExit(AtomRegistry.getResult(registry, atom, { suspendOnWaiting: true }))
      if (Exit.isSuccess(exit)) return exit.value
      throw Cause.squash(exit.cause)
    },
    [registry, atom]
  )
}

/** The value of a query for one record: undefined until it is read, and kept while it is read again or when that fails. */
export const currentValue = <A, E>(result: AsyncResult.AsyncResult<A, E>): A | undefined =>
  Option.getOrUndefined(AsyncResult.value(result))

const nothing: Atom.Atom<AsyncResult.AsyncResult<never>> = Atom.make(AsyncResult.initial<never>())

/** The value of a query that may not be needed. */
export const useCurrent = <A, E>(query: Atom.Atom<AsyncResult.AsyncResult<A, E>> | undefined): A | undefined =>
  currentValue<A, E>(useAtomValue<AsyncResult.AsyncResult<A, E>>(query ?? nothing))

/**
 * The newest value of a list's query, also while a changed query, such as for the next page, is first read. When that fails, nothing is
 * left of the former query: its records are not those that are asked for.
 */
export const useLatest = <A, E>(result: AsyncResult.AsyncResult<A, E>): A | undefined => {
  const [kept, keep] = useState<A>()
  const latest = Option.getOrElse(AsyncResult.value(result), () => (result._tag === "Initial" ? kept : undefined))
  if (latest !== kept) keep(() => latest)
  return latest
}

/** Reads an atom's query again from time to time while it is active and the page is in view. */
export const useRefreshEvery = <A>(atom: Atom.Atom<A>, milliseconds: number, isActive = true) => {
  const refresh = useAtomRefresh(atom)
  useEffect(() => {
    if (!isActive) return
    const timer = setInterval(() => document.visibilityState === "visible" && refresh(), milliseconds)
    return () => clearInterval(timer)
  }, [refresh, milliseconds, isActive])
}
