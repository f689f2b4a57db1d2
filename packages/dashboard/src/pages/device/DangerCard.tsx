import type { Device } from "@edp/domain/devices/Device"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { accountDisconnected, ConnectionsClient, deviceSessionQuery } from "../../resources/connections.ts"
import { deviceRemoved, DevicesClient } from "../../resources/devices.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card } from "../../kit/components.tsx"
import { useToast } from "../../kit/Toasts.tsx"

interface DeviceProps {
  readonly device: Device
}

const Disconnect = ({ device }: DeviceProps) => {
  const t = useMessages("device")
  const toast = useToast()
  const call = useApi(ConnectionsClient)
  const [open, setOpen] = useState(false)
  const { id, referenceId, manufacturer, name } = device
  return (
    <Loaded query={deviceSessionQuery({ id, referenceId, manufacturer })}>
      {(session) =>
        session === null || session.disconnectedAt !== null ? (
          <p className="muted">{t.noAccount}</p>
        ) : (
          <>
            <Button tone="danger" icon="plug" onClick={() => setOpen(true)}>
              {t.disconnect}
            </Button>
            <ConfirmDialog
              open={open}
              onClose={() => setOpen(false)}
              title={t.disconnectTitle}
              name={name}
              action={t.disconnect}
              act={async () => {
                await call(
                  (client) => client.connections.remove({ params: { id: session.id } }),
                  accountDisconnected(session.deviceIds)
                )
                toast.done(t.disconnectDone)
              }}
            >
              {t.disconnectLead({ count: session.deviceIds.length })}
            </ConfirmDialog>
          </>
        )
      }
    </Loaded>
  )
}

/** Ends the connection of the device, or the device. Both ask for its name. */
export const DangerCard = ({ device }: DeviceProps) => {
  const t = useMessages("device")
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(DevicesClient)
  const [open, setOpen] = useState(false)
  return (
    <Card title={t.danger}>
      <div className="actions">
        <Disconnect device={device} />
        <Button tone="danger" icon="trash" onClick={() => setOpen(true)}>
          {t.remove}
        </Button>
      </div>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t.removeTitle}
        name={device.name}
        action={t.remove}
        act={async () => {
          await call((client) => client.devices.remove({ params: { id: device.id } }), deviceRemoved)
          toast.done(t.removeDone)
          await navigate({ to: "/dashboard/fleet" })
        }}
      >
        {t.removeLead}
      </ConfirmDialog>
    </Card>
  )
}
