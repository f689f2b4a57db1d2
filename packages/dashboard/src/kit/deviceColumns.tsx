import type { Device } from "@edp/domain/devices/Device"
import { useMessages } from "../i18n/useMessages.ts"
import { onlineStates } from "./states.ts"
import { Age } from "./Figure.tsx"
import { Badge } from "./components.tsx"
import { DeviceLink } from "./recordLinks.tsx"
import type { Column } from "./Table.tsx"

/** The columns of a list of devices, with others of the page before the last one. */
export const useDeviceColumns = (...others: ReadonlyArray<Column<Device>>): ReadonlyArray<Column<Device>> => {
  const { columns, types, online } = useMessages("devices")
  return [
    { id: "name", header: columns.name, isName: true, cell: ({ id, name }) => <DeviceLink id={id}>{name}</DeviceLink> },
    { id: "type", header: columns.type, cell: ({ type }) => types[type] },
    {
      id: "status",
      header: columns.status,
      cell: ({ onlineStatus }) => <Badge state={onlineStates[onlineStatus]}>{online[onlineStatus]}</Badge>
    },
    { id: "newest", header: columns.newest, cell: ({ lastOnlineAt }) => <Age time={lastOnlineAt} /> },
    ...others,
    { id: "model", header: columns.model, isExtra: true, cell: ({ manufacturer, model }) => `${manufacturer} ${model}` }
  ]
}
