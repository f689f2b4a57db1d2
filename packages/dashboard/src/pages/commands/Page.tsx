import type { Command } from "@edp/domain/commands/Command"
import { commandStatuses } from "@edp/domain/commands/CommandStatus"
import { type CommandSlug, commandSlugs } from "@edp/domain/devices/DeviceType"
import { useMessages } from "../../i18n/useMessages.ts"
import { commandsQuery } from "../../resources/commands.ts"
import { Button } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { commandStates, useInputText } from "../../kit/commands/CommandItem.tsx"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { DeviceFilter } from "../../kit/recordFilters.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { SearchField } from "../../kit/SearchField.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import type { Column } from "../../kit/Table.tsx"
import type { ChangeOptions } from "../../kit/useChange.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { BatchCard } from "./BatchCard.tsx"
import { Batches } from "./Batches.tsx"
import { CommandDetails } from "./CommandDetails.tsx"
import "./commands.css"
import { NamedDeviceLink } from "./NamedDeviceLink.tsx"

const route = pageRoute("/dashboard/commands")

const noFilters = { status: undefined, type: undefined, device: undefined, batch: undefined }

/** The name of a type with that of its device, because several types have the same name. */
const typeName = (
  names: Readonly<Record<CommandSlug, string>>,
  types: Readonly<Record<string, string>>,
  type: CommandSlug
) => `${types[type.slice(0, type.indexOf(":"))]}: ${names[type]}`

const CommandList = () => {
  const t = useMessages("commands")
  const command = useMessages("deviceCommands")
  const inputText = useInputText()
  const search = route.useSearch()
  const change = route.useChange()
  const filter = (changed: Partial<typeof search>, options?: ChangeOptions) =>
    change({ ...changed, cursor: undefined }, options)
  const isFiltered = [search.status, search.type, search.device, search.batch].some(Boolean)
  const columns: ReadonlyArray<Column<Command>> = [
    { id: "type", header: t.command, isName: true, cell: ({ type }) => typeName(command.names, t.types, type) },
    { id: "device", header: t.device, cell: ({ deviceId }) => <NamedDeviceLink id={deviceId} /> },
    {
      id: "status",
      header: t.status,
      cell: ({ status }) => <Badge state={commandStates[status]}>{command.statuses[status]}</Badge>
    },
    {
      id: "reason",
      header: t.reason,
      cell: ({ note, reason }) =>
        reason !== undefined ? command.reasons[reason] : note !== undefined ? command.notes[note.code] : "–"
    },
    { id: "issued", header: t.issued, cell: ({ issuedAt }) => <Age time={issuedAt} /> },
    {
      id: "input",
      header: t.input,
      cell: ({ input }) => inputText(input as Readonly<Record<string, unknown>>) || "–"
    },
    { id: "source", header: command.source, isExtra: true, cell: ({ source }) => command.sources[source] },
    detailsColumn<Command>({
      label: t.details,
      title: ({ type }) => t.open({ name: command.names[type] }),
      onOpen: ({ id }) => change({ command: id })
    })
  ]
  return (
    <>
      <div className="filters" role="group" aria-label={t.filters}>
        <ChoiceFilter
          label={t.status}
          all={t.all}
          value={search.status}
          values={commandStatuses}
          name={(status) => command.statuses[status]}
          onChange={(status) => filter({ status })}
        />
        <ChoiceFilter
          label={t.type}
          all={t.all}
          value={search.type}
          values={commandSlugs}
          name={(type) => typeName(command.names, t.types, type)}
          onChange={(type) => filter({ type })}
        />
        <DeviceFilter id={search.device} onChange={(device) => filter({ device })} />
        <SearchField label={t.batchId} value={search.batch} onSearch={(batch, options) => filter({ batch }, options)} />
        {isFiltered && (
          <Button tone="quiet" icon="cross" onClick={() => filter(noFilters)}>
            {t.clear}
          </Button>
        )}
      </div>
      {search.batch !== undefined && (
        <BatchCard key={search.batch} id={search.batch} onBatch={(batch) => filter({ batch })} />
      )}
      <RecordList
        query={commandsQuery(search)}
        paging={{ cursor: search.cursor, onCursor: (cursor) => change({ cursor }) }}
        id={({ id }) => id}
        caption={t.caption}
        columns={columns}
        none={{ icon: "bolt", title: t.none, hint: t.noneHint }}
        noMatch={isFiltered && { icon: "search", title: t.noMatch }}
      />
    </>
  )
}

export const Page = () => {
  const t = useMessages("commands")
  const { command, view = "list" } = route.useSearch()
  const change = route.useChange()
  return (
    <>
      <PageHeader title={t.title} lead={t.lead} />
      <Tabs
        label={t.views}
        value={view}
        onChange={(id) => change({ view: id === "list" ? undefined : id, page: undefined })}
        tabs={[
          { id: "list", label: t.list, content: <CommandList /> },
          { id: "batches", label: t.batches, content: <Batches /> }
        ]}
      />
      <CommandDetails id={command} onClose={() => change({ command: undefined }, { replace: true })} />
    </>
  )
}
