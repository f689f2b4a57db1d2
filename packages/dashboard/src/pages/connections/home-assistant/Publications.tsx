import type { HomeAssistantPublication, publicationStatuses } from "@edp/domain/home-assistant/HomeAssistantPublication"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { formatNumber } from "../../../i18n/format.ts"
import { useLanguage, useMessages } from "../../../i18n/useMessages.ts"
import { HomeAssistantClient, publicationsChanged, publicationsQuery } from "../../../resources/homeAssistant.ts"
import { Button, IconButton } from "../../../kit/Button.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { Age } from "../../../kit/Figure.tsx"
import { Menu } from "../../../kit/Menu.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { Badge, type State } from "../../../kit/components.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"
import { useRereading } from "../../../kit/useRereading.ts"
import { PublicationDialog } from "./PublicationDialog.tsx"

const route = pageRoute("/dashboard/connections")

const badges: Readonly<Record<(typeof publicationStatuses)[number], State>> = {
  connecting: "info",
  connected: "good",
  failing: "bad"
}

const brokerName = ({ host, port }: HomeAssistantPublication) => `${host}:${port}`

type Opened = { readonly act: "edit" | "remove"; readonly row: HomeAssistantPublication }

/** The Home Assistants that show devices of the workspace. The address holds the form for a new one. */
export const Publications = () => {
  const t = useMessages("homeAssistant")
  const kit = useMessages("kit")
  const language = useLanguage()
  const toast = useToast()
  const call = useApi(HomeAssistantClient)
  const { page, publish } = route.useSearch()
  const change = route.useChange()
  const [opened, setOpened] = useState<Opened>()
  const query = publicationsQuery({ page })
  useRereading([query])
  const close = () => {
    setOpened(undefined)
    if (publish !== undefined) change({ publish: undefined }, { replace: true })
  }
  const add = (
    <Button icon="plus" onClick={() => change({ publish: "new" })}>
      {t.publish}
    </Button>
  )
  const devices = ({ devices: count, devicesFromHomeAssistant, devicesLeftOut, tag }: HomeAssistantPublication) => (
    <span>
      {count === null ? "–" : formatNumber(language, count)}{" "}
      <span className="muted">{tag === null ? t.everyDevice : t.tagged({ tag })}</span>
      {devicesLeftOut > 0 && <Badge state="warn">{t.leftOut({ count: devicesLeftOut })}</Badge>}
      {devicesFromHomeAssistant > 0 && (
        <span className="muted"> · {t.fromHomeAssistant({ count: devicesFromHomeAssistant })}</span>
      )}
    </span>
  )
  const status = ({ connectedAt, failingSince, failure, status: value }: HomeAssistantPublication) => (
    <span className="connections-state">
      <span>
        <Badge state={badges[value]}>{t.statuses[value]}</Badge>{" "}
        {value === "failing" ? <Age time={failingSince} /> : value === "connected" && <Age time={connectedAt} />}
      </span>
      {failure !== null && <span>{failure}</span>}
    </span>
  )
  const removed = opened?.act === "remove" ? opened.row : undefined
  return (
    <>
      <RecordList
        title={t.title}
        actions={add}
        query={query}
        paging={{ onPage: (next) => change({ page: next }) }}
        id={({ id }) => id}
        name={brokerName}
        none={{ icon: "home", title: t.none, hint: t.noneHint }}
        columns={[
          { id: "broker", header: t.broker, isName: true, cell: (row) => brokerName(row) + (row.tls ? " · TLS" : "") },
          { id: "status", header: t.state, cell: status },
          { id: "devices", header: t.devices, cell: devices },
          { id: "commands", header: t.commands, cell: (row) => (row.takesCommands ? t.controls : t.showsOnly) },
          { id: "prefix", header: t.prefix, isExtra: true, cell: (row) => <code>{row.discoveryPrefix}</code> },
          {
            id: "actions",
            header: kit.actions,
            align: "end",
            cell: (row) => (
              <Menu
                trigger={<IconButton icon="more" label={t.actionsOn({ name: brokerName(row) })} />}
                items={[
                  { id: "edit", label: t.edit, onSelect: () => setOpened({ act: "edit", row }) },
                  { id: "remove", label: t.remove, danger: true, onSelect: () => setOpened({ act: "remove", row }) }
                ]}
              />
            )
          }
        ]}
      />
      <PublicationDialog
        open={publish === "new" || opened?.act === "edit"}
        stored={opened?.act === "edit" ? opened.row : undefined}
        onClose={close}
        onSaved={() => {
          close()
          toast.done(t.saved)
        }}
      />
      <ConfirmDialog
        open={removed !== undefined}
        onClose={close}
        title={t.removeTitle}
        action={t.removeTitle}
        act={async () => {
          if (removed === undefined) return
          const params = { id: removed.id }
          await call((client) => client.homeAssistantPublications.remove({ params, query: {} }), publicationsChanged)
          toast.done(t.removed)
        }}
      >
        {removed && t.removeLead({ name: brokerName(removed) })}
      </ConfirmDialog>
    </>
  )
}
