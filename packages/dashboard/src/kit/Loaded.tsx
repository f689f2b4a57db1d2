import type { Atom, AsyncResult } from "effect/reactivity"
import type { ReactNode } from "react"
import { problemFromCause } from "../api/problems.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { useAtomRefresh, useAtomValue, useLatest } from "../state/atoms.ts"
import { Notice } from "./components.tsx"
import { ProblemNotice } from "./Problem.tsx"
import "./Loaded.css"

interface LoadedProps<A, E> {
  readonly query: Atom.Atom<AsyncResult.AsyncResult<A, E>>
  readonly children: (value: A, state: { readonly waiting: boolean }) => ReactNode
  /** Shown before the first response instead of a word. */
  readonly placeholder?: ReactNode
}

export const Loading = () => {
  const t = useMessages("kit")
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      {t.loading}
    </div>
  )
}

/**
 * Shows the response of a query. While it is read again, or when that fails, the last response stays, and a failure is explained above
 * it. When the query changes, such as to the next page of a list, the former response stays until the new one is there.
 */
export const Loaded = <A, E>({ query, children, placeholder }: LoadedProps<A, E>) => {
  const t = useMessages("kit")
  const result = useAtomValue(query)
  const refresh = useAtomRefresh(query)
  const latest = useLatest(result)
  if (result._tag === "Failure" && latest === undefined) {
    return <ProblemNotice problem={problemFromCause(result.cause)} retry={refresh} />
  }
  if (latest === undefined) return placeholder ?? <Loading />
  return (
    <>
      {result._tag === "Failure" && <Notice state="warn">{t.older}</Notice>}
      {children(latest, { waiting: result.waiting || result._tag === "Initial" })}
    </>
  )
}
