import type { Device } from "@edp/domain/devices/Device"
import type { Site } from "@edp/domain/sites/Site"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { deviceChoicesQuery, deviceMoved, DevicesClient, siteDevicesQuery } from "../../../resources/devices.ts"
import { siteChoicesQuery } from "../../../resources/sites.ts"
import { Button } from "../../../kit/Button.tsx"
import { ConfirmDialog } from "../../../kit/ConfirmDialog.tsx"
import { useDeviceColumns } from "../../../kit/deviceColumns.tsx"
import { LinkedRecords } from "../../../kit/LinkedRecords.tsx"
import { addressLine, siteName } from "../../../kit/names.ts"
import { type PickerOption, RecordPicker } from "../../../kit/RecordPicker.tsx"
import { useToast } from "../../../kit/Toasts.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/sites/$id")

interface MoveProps {
  readonly site: Site
  readonly device: Device | undefined
  readonly onClose: () => void
}

const MoveDevice = ({ site, device, onClose }: MoveProps) => {
  const t = useMessages("sites")
  const toast = useToast()
  const call = useApi(DevicesClient)
  const [target, setTarget] = useState<PickerOption>()
  const close = () => {
    setTarget(undefined)
    onClose()
  }
  return (
    <ConfirmDialog
      open={device !== undefined}
      onClose={close}
      title={t.moveTitle({ name: device?.name ?? "" })}
      action={t.move}
      tone="main"
      act={async () => {
        if (device === undefined || target === undefined) return
        await call(
          (client) => client.devices.update({ params: { id: device.id }, payload: { siteId: target.id } }),
          deviceMoved(device.id, site.id, target.id)
        )
        toast.done(t.moved({ name: device.name, site: target.label }))
        setTarget(undefined)
      }}
    >
      <div className="stack sites-move">
        <p>{t.moveLead}</p>
        <RecordPicker
          label={t.moveTo}
          chosen={target?.label ?? ""}
          required
          search={siteChoicesQuery}
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

/** The devices at a site: more can be added, and each be moved to another site or taken out. */
export const Devices = ({ site }: { readonly site: Site }) => {
  const t = useMessages("sites")
  const { types } = useMessages("devices")
  const call = useApi(DevicesClient)
  const devices = route.useSearch().devices
  const change = route.useChange()
  const [moving, setMoving] = useState<Device>()
  const { id } = site
  return (
    <>
      <LinkedRecords
        title={t.devices}
        query={siteDevicesQuery(id, devices)}
        paging={{ onPage: (page) => change({ devices: page }) }}
        name={({ name }) => name}
        columns={useDeviceColumns()}
        rowActions={(device) => (
          <Button small tone="quiet" onClick={() => setMoving(device)}>
            {t.move}
          </Button>
        )}
        none={{ icon: "battery", title: t.noDevices, hint: t.noDevicesHint }}
        link={{
          label: t.addDevice,
          hint: t.chooseDevice,
          search: deviceChoicesQuery,
          options: ({ body: { data, totalItems = data.length } }) => ({
            options: data
              .filter(({ siteId }) => siteId !== id)
              .map((device) => ({
                id: device.id,
                label: device.name,
                note: device.siteId === null ? types[device.type] : `${types[device.type]}, ${t.atAnotherSite}`
              })),
            isAll: totalItems <= data.length
          }),
          act: (deviceId) =>
            call((client) => client.devices.linkSite({ params: { id, deviceId } }), deviceMoved(deviceId, id)),
          done: (name) => t.added({ name })
        }}
        unlink={{
          label: t.takeOut,
          title: (name) => t.takeOutTitle({ name }),
          lead: t.takeOutLead,
          act: (deviceId) =>
            call((client) => client.devices.unlinkSite({ params: { id, deviceId } }), deviceMoved(deviceId, id)),
          done: (name) => t.takenOut({ name })
        }}
      />
      <MoveDevice site={site} device={moving} onClose={() => setMoving(undefined)} />
    </>
  )
}
