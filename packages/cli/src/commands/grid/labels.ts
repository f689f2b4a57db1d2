import { Effect } from "effect"
import type { GridEvent } from "@edp/domain/grid/GridEvent"
import { request } from "../../kernel/Connection.ts"

interface Records<A> {
  readonly data: ReadonlyArray<A>
}

/** Labels by id of the newest hundred records. Elsewhere the id is shown. */
const labels = <A extends { readonly id: string }, E, R>(
  records: Effect.Effect<Records<A>, E, R>,
  label: (record: A) => string
): Effect.Effect<ReadonlyMap<string, string>, never, R> =>
  records.pipe(
    Effect.map(({ data }) => new Map(data.map((record) => [record.id, label(record)]))),
    Effect.orElseSucceed(() => new Map<string, string>())
  )

/** The name of an event, or its id at the VTN. */
export const eventLabel = ({ name, vtnEventId }: GridEvent) => name ?? vtnEventId

const query = { perPage: 100 }

export const programNames = (id: string) =>
  labels(request("grid", "listPrograms", { params: { id }, query }), ({ name }) => name)

export const eventNames = (id: string) => labels(request("grid", "listEvents", { params: { id }, query }), eventLabel)

export const instanceSlugs = labels(request("programInstances", "list", { query }), ({ slug }) => slug)
