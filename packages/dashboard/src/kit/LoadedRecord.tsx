import type { Atom, AsyncResult } from "effect/reactivity"
import type { ReactNode } from "react"
import { isMissing, problemFromCause } from "../api/problems.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { useAtomValue, currentValue } from "../state/atoms.ts"
import { Loaded } from "./Loaded.tsx"
import { Empty, PageHeader } from "./components.tsx"

interface LoadedRecordProps<A, E> {
  readonly query: Atom.Atom<AsyncResult.AsyncResult<A, E>>
  /** The kind of record, such as "Site": the title until the record's own is known. */
  readonly title: string
  /** A link to the list of such records. */
  readonly above: ReactNode
  readonly children: (value: A) => ReactNode
}

/** The page of one record. It has a title before the record is read, and says when there is no such record. Give it the id as `key`. */
export const LoadedRecord = <A, E>({ query, title, above, children }: LoadedRecordProps<A, E>) => {
  const t = useMessages("kit")
  const result = useAtomValue(query)
  const latest = currentValue(result)
  if (result._tag === "Failure" && isMissing(problemFromCause(result.cause))) {
    return (
      <>
        <PageHeader title={title} above={above} />
        <Empty icon="search" title={t.missing}>
          {t.missingHint}
        </Empty>
      </>
    )
  }
  return (
    <>
      {latest === undefined && <PageHeader title={title} above={above} />}
      <Loaded query={query}>{children}</Loaded>
    </>
  )
}
