import type { BatchCommand } from "@edp/domain/commands/BatchCommand"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { batchesQuery } from "../../resources/batches.ts"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import type { Column } from "../../kit/Table.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { batchStates } from "./batchStates.ts"

const route = pageRoute("/dashboard/commands")

/** The batches of the workspace. Each leads to its commands. */
export const Batches = () => {
  const t = useMessages("commands")
  const command = useMessages("deviceCommands")
  const language = useLanguage()
  const { page } = route.useSearch()
  const change = route.useChange()
  const count = (value: number) => formatNumber(language, value)
  const typeName = (type: BatchCommand["type"]) =>
    `${t.types[type.slice(0, type.indexOf(":")) as keyof typeof t.types]}: ${command.names[type]}`
  const columns: ReadonlyArray<Column<BatchCommand>> = [
    { id: "type", header: t.command, isName: true, cell: ({ type }) => typeName(type) },
    {
      id: "status",
      header: t.status,
      cell: ({ status }) => <Badge state={batchStates[status]}>{t.batchStatuses[status]}</Badge>
    },
    { id: "total", header: t.total, align: "end", cell: ({ total }) => count(total) },
    { id: "completed", header: t.completed, align: "end", cell: ({ counts }) => count(counts.completed) },
    { id: "failed", header: t.failed, align: "end", cell: ({ counts }) => count(counts.failed) },
    { id: "issued", header: t.issued, cell: ({ createdAt }) => <Age time={createdAt} /> },
    detailsColumn<BatchCommand>({
      label: t.details,
      title: ({ type }) => t.open({ name: typeName(type) }),
      onOpen: ({ id }) => change({ view: undefined, page: undefined, batch: id })
    })
  ]
  return (
    <RecordList
      query={batchesQuery(page)}
      paging={{ onPage: (next) => change({ page: next }) }}
      id={({ id }) => id}
      caption={t.batches}
      columns={columns}
      none={{ icon: "bolt", title: t.noBatches, hint: t.noBatchesHint }}
    />
  )
}
