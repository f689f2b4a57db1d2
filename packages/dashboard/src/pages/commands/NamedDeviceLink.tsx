import { Link } from "@tanstack/react-router"
import { deviceNameQuery } from "../../resources/names.ts"
import { currentValue, useAtomValue } from "../../state/atoms.ts"

/** Leads to the commands of a device. Without a name, such as that of a deleted device, it shows the id. */
export const NamedDeviceLink = ({ id }: { readonly id: string }) => (
  <Link to="/dashboard/devices/$id" params={{ id }} search={{ tab: "commands" }}>
    {currentValue(useAtomValue(deviceNameQuery(id))) ?? id}
  </Link>
)
