import type { Device } from "@edp/domain/devices/Device"
import type { Site } from "@edp/domain/sites/Site"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { AddRecord } from "../../../kit/AddRecord.tsx"
import { Button } from "../../../kit/Button.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { deviceMessages, onlineStates } from "../../../kit/deviceMessages.ts"
import { Age } from "../../../kit/Figure.tsx"
import { addressLine, siteName } from "../../../kit/names.ts"
import { PagedTable } from "../../../kit/PagedTable.tsx"
import { Badge, Card, Empty } from "../../../kit/components.tsx"
import { type PickerOption, RecordPicker } from "../../../kit/RecordPicker.tsx"
import type { Column } from "../../../kit/Table.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { useChange } from "../../../kit/useChange.ts"
import { sitesQuery } from "../queries.ts"
import { messages } from "../messages.ts"
import { devicesAtSiteQuery, devicesQuery, SiteClient } from "./queries.ts"

const route = getRouteApi("/dashboard/sites/$id")

/** A device that comes or goes takes its history with it. */
const changed = (site: Site) => ["devices", "sites", `site:${site.id}`, "metrics"]

const AddDevice = ({ site }: { readonly site: Site }) => {
  const t = useMessages(messages)
  const words = useMessages(deviceMessages)
  const toast = useToast()
  const call = useApi(SiteClient)
  return (
    <AddRecord
      label={t.addDevice}
      hint={t.chooseDevice}
      search={devicesQuery}
      options={({ body: { data, totalItems = data.length } }) => ({
        options: data
          .filter(({ siteId }) => siteId !== site.id)
          .map(({ id, name, type, siteId }) => ({
            id,
            label: name,
            note: siteId === null ? words.types[type] : `${words.types[type]}, ${t.atAnotherSite}`
          })),
        isAll: totalItems <= data.length
      })}
      add={async ({ id, label }) => {
        await call(
          (client) => client.devices.linkSite({ params: { id: site.id, deviceId: id } }),
          [...changed(site), `device:${id}`]
        )
        toast.done(t.added(label))
      }}
    />
  )
}

interface ActionProps {
  readonly site: Site
  readonly device: Device | undefined
  readonly onClose: () => void
}

const MoveDevice = ({ site, device, onClose }: ActionProps) => {
  const t = useMessages(messages)
  const toast = useToast()
  const call = useApi(SiteClient)
  const [target, setTarget] = useState<PickerOption>()
  const close = () => {
    setTarget(undefined)
    onClose()
  }
  return (
    <ConfirmDialog
      open={device !== undefined}
      onClose={close}
      title={t.moveTitle(device?.name ?? "")}
      action={t.move}
      tone="main"
      act={async () => {
        if (device === undefined || target === undefined) return
        await call(
          (client) => client.devices.update({ params: { id: device.id }, payload: { siteId: target.id } }),
          [...changed(site), `device:${device.id}`, `site:${target.id}`]
        )
        toast.done(t.moved(device.name, target.label))
        setTarget(undefined)
      }}
    >
      <div className="stack sites-move">
        <p>{t.moveLead}</p>
        <RecordPicker
          label={t.moveTo}
          chosen={target?.label ?? ""}
          required
          search={(q) => sitesQuery({ perPage: 20, ...(q !== "" && { q }) })}
          options={({ data, totalItems }) => ({
            options: data
              .filter(({ id }) => id !== site.id)
              .map((each) => ({ id: each.id, label: siteName(each), note: addressLine(each.address) })),
            isAll: totalItems <= data.length
          })}
          onChoose={setTarget}
        />
      </div>
    </ConfirmDialog>
  )
}

const TakeOutDevice = ({ site, device, onClose }: ActionProps) => {
  const t = useMessages(messages)
  const toast = useToast()
  const call = useApi(SiteClient)
  return (
    <ConfirmDialog
      open={device !== undefined}
      onClose={onClose}
      title={t.takeOutTitle(device?.name ?? "")}
      action={t.takeOut}
      act={async () => {
        if (device === undefined) return
        await call(
          (client) => client.devices.unlinkSite({ params: { id: site.id, deviceId: device.id } }),
          [...changed(site), `device:${device.id}`]
        )
        toast.done(t.takenOut(device.name))
      }}
    >
      {t.takeOutLead}
    </ConfirmDialog>
  )
}

/** The devices at a site: more can be added, and each be moved to another site or taken out. */
export const Devices = ({ site }: { readonly site: Site }) => {
  const t = useMessages(messages)
  const words = useMessages(deviceMessages)
  const { devices: page = 1 } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [moving, setMoving] = useState<Device>()
  const [removing, setRemoving] = useState<Device>()
  const columns: ReadonlyArray<Column<Device>> = [
    {
      id: "name",
      header: t.fields.name,
      isName: true,
      cell: ({ id, name }) => (
        <Link to="/dashboard/devices/$id" params={{ id }}>
          {name}
        </Link>
      )
    },
    { id: "type", header: t.type, cell: ({ type }) => words.types[type] },
    {
      id: "status",
      header: t.status,
      cell: ({ onlineStatus }) => <Badge state={onlineStates[onlineStatus]}>{words.online[onlineStatus]}</Badge>
    },
    { id: "newest", header: t.newest, cell: ({ lastOnlineAt }) => <Age time={lastOnlineAt} /> },
    {
      id: "model",
      header: t.model,
      isExtra: true,
      cell: ({ manufacturer, model }) => `${manufacturer} ${model}`
    },
    {
      id: "actions",
      header: t.actions,
      align: "end",
      cell: (device) => (
        <span className="actions sites-row-actions">
          <Button small tone="quiet" onClick={() => setMoving(device)}>
            {t.move}
          </Button>
          <Button small tone="quiet" onClick={() => setRemoving(device)}>
            {t.takeOut}
          </Button>
        </span>
      )
    }
  ]
  return (
    <Card title={t.devices} flush>
      <PagedTable
        query={devicesAtSiteQuery(site.id, page)}
        onPage={(next) => change({ devices: next })}
        caption={t.devices}
        columns={columns}
        id={({ id }) => id}
        empty={
          <Empty icon="battery" title={t.noDevices}>
            {t.noDevicesHint}
          </Empty>
        }
      />
      <AddDevice site={site} />
      <MoveDevice site={site} device={moving} onClose={() => setMoving(undefined)} />
      <TakeOutDevice site={site} device={removing} onClose={() => setRemoving(undefined)} />
    </Card>
  )
}
