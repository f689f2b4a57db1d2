import { Context, Layer } from "effect"
import { Atom, AsyncResult, Reactivity } from "effect/reactivity"

/** A response that nothing shows is kept this long, for whoever comes back to its page. */
const KEPT_FOR = "30 seconds"

/** Gives access to the service that knows which atoms depend on which keys. */
const servicesAtom = Atom.runtime(Layer.empty)

/**
 * Has a query read again once one of the keys is invalidated: at once where it is shown, otherwise when it is shown again. The
 * library's `withReactivity` forgets the keys as soon as nothing shows the query, while the registry keeps its response, which would
 * be shown again as it was.
 */
export const dependingOn =
  (keys: Reactivity.KeysInput) =>
  <A extends Atom.Atom<any>>(query: A): A =>
    Atom.transform(
      query,
      (get) => {
        const services = AsyncResult.getOrThrow(get(servicesAtom)) as Context.Context<Reactivity.Reactivity>
        // Later, because this atom registers anew whenever the query has another result, which must not happen among the handlers.
        const readAgain = () => queueMicrotask(() => get.registry.refresh(query))
        get.addFinalizer(Context.get(services, Reactivity.Reactivity).registerUnsafe(keys, readAgain))
        return get(query)
      },
      { initialValueTarget: query }
    ).pipe(Atom.setIdleTTL(KEPT_FOR)) as Atom.Atom<any> as A

const create = ((layer: never) =>
  Object.assign(Atom.runtime(layer), { factory: pageRuntime })) as unknown as Atom.RuntimeFactory

/** Makes the clients of the page, whose queries depend on their keys as above. */
export const pageRuntime: Atom.RuntimeFactory = Object.assign(create, Atom.runtime, { withReactivity: dependingOn })
