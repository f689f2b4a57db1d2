import type { ScheduleTarget } from "@edp/domain/schedules/Schedule"
import { Link } from "@tanstack/react-router"
import { useMessages } from "../../i18n/useMessages.ts"
import { collectionQuery } from "../../resources/collections.ts"
import { deviceNameQuery } from "../../resources/names.ts"
import { CollectionLink, DeviceLink } from "../../kit/recordLinks.tsx"
import { currentValue, useAtomValue } from "../../state/atoms.ts"

const NamedDevice = ({ id }: { readonly id: string }) => (
  <DeviceLink id={id}>{currentValue(useAtomValue(deviceNameQuery(id))) ?? id}</DeviceLink>
)

const NamedCollection = ({ id }: { readonly id: string }) => {
  const t = useMessages("schedules")
  const name = currentValue(useAtomValue(collectionQuery(id)))?.name ?? id
  return <CollectionLink id={id}>{t.collected({ name })}</CollectionLink>
}

/** The devices of a schedule, with a link to them. */
export const Target = ({ target }: { readonly target: ScheduleTarget }) => {
  const t = useMessages("schedules")
  if ("deviceId" in target) return <NamedDevice id={target.deviceId} />
  if ("collectionId" in target) return <NamedCollection id={target.collectionId} />
  return (
    <Link to="/dashboard/fleet" search={{ tag: target.tag }}>
      {t.tagged({ tag: target.tag })}
    </Link>
  )
}
