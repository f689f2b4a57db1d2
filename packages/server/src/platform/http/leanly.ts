import { Context, Effect, Layer } from "effect"

const isOurs = (key: string) => key.startsWith("@edp/server/")

const withoutOurs = <R>(context: Context.Context<R>) =>
  Context.makeUnsafe<R>(new Map(Array.from(context.mapUnsafe).filter(([key]) => !isOurs(key))))

/**
 * Builds a layer without the services of ours; who needs them is given them apart. What the HTTP server and the groups of
 * the API are built with is copied for every request, and handlers need none of it: they took theirs when they were built.
 */
export const leanly = <R, A, E, R2>(
  make: (ours: Context.Context<R>) => Layer.Layer<A, E, R2>
): Layer.Layer<A, E, R | R2> =>
  Layer.unwrap(
    Effect.map(Effect.context<R>(), (ours) =>
      Layer.fromBuild<A, E, R2>((memoMap, scope) =>
        Effect.updateContext(Layer.buildWithMemoMap(make(ours), memoMap, scope), withoutOurs<R2>)
      )
    )
  )
