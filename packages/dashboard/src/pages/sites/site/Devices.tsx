import type { Device } from "@edp/domain/devices/Device"
import type { Site } from "@edp/domain/sites/Site"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useTexts } from "../../../i18n/useTexts.ts"
import { AddRecord } from "../../../kit/AddRecord.tsx"
import { Button } from "../../../kit/Button.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { deviceTexts, onlineStates } from "../../../kit/deviceTexts.ts"
import { Age } from "../../../kit/Figure.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { addressLine, siteName } from "../../../kit/names.ts"
import { Badge, Card, Empty } from "../../../kit/Parts.tsx"
import { type PickerOption, RecordPicker } from "../../../kit/RecordPicker.tsx"
import { type Column, Table } from "../../../kit/Table.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { sitesQuery } from "../queries.ts"
import { texts } from "../texts.ts"
import { devicesAtSiteQuery, devicesQuery, LISTED, SiteClient } from "./queries.ts"

/** A device that comes or goes takes its history with it. */
const changed = (site: Site) => ["devices", "sites", `site:${site.id}`, "metrics"]

const AddDevice = ({ site }: { readonly site: Site }) => {
  const t = useTexts(texts)
  const words = useTexts(deviceTexts)
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

interface ActProps {
  readonly site: Site
  readonly device: Device | undefined
  readonly onClose: () => void
}

const MoveDevice = ({ site, device, onClose }: ActProps) => {
  const t = useTexts(texts)
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

const TakeOutDevice = ({ site, device, onClose }: ActProps) => {
  const t = useTexts(texts)
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
  const t = useTexts(texts)
  const words = useTexts(deviceTexts)
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
      id: "acts",
      header: t.acts,
      align: "end",
      cell: (device) => (
        <span className="actions sites-acts">
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
      <Loaded query={devicesAtSiteQuery(site.id)}>
        {({ data, totalItems = data.length }, { waiting }) => (
          <>
            <Table
              caption={t.devices}
              columns={columns}
              rows={data}
              id={({ id }) => id}
              waiting={waiting}
              empty={
                <Empty icon="battery" title={t.noDevices}>
                  {t.noDevicesHint}
                </Empty>
              }
            />
            {totalItems > data.length && <p className="sites-note muted">{t.firstDevices(LISTED)}</p>}
          </>
        )}
      </Loaded>
      <AddDevice site={site} />
      <MoveDevice site={site} device={moving} onClose={() => setMoving(undefined)} />
      <TakeOutDevice site={site} device={removing} onClose={() => setRemoving(undefined)} />
    </Card>
  )
}
