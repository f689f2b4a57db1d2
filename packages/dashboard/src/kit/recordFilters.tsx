import { useMessages } from "../i18n/useMessages.ts"
import { deviceChoicesQuery } from "../resources/devices.ts"
import { deviceNameQuery, siteNameQuery } from "../resources/names.ts"
import { siteChoicesQuery } from "../resources/sites.ts"
import { useCurrent } from "../state/atoms.ts"
import { addressLine, siteName } from "./names.ts"
import { RecordPicker } from "./RecordPicker.tsx"

interface RecordFilterProps {
  readonly id: string | undefined
  readonly onChange: (id: string | undefined) => void
}

/** Filters a list by a device, which is found by its name. */
export const DeviceFilter = ({ id, onChange }: RecordFilterProps) => {
  const t = useMessages("recordPicker")
  const { types } = useMessages("devices")
  const name = useCurrent(id === undefined ? undefined : deviceNameQuery(id))
  return (
    <RecordPicker
      label={t.device}
      chosen={id === undefined ? t.everyDevice : (name ?? id)}
      search={deviceChoicesQuery}
      options={({ body: { data, totalItems = data.length } }) => ({
        options: data.map((device) => ({ id: device.id, label: device.name, note: types[device.type] })),
        isAll: totalItems <= data.length
      })}
      first={{ id: "", label: t.everyDevice }}
      onChoose={(option) => onChange(option.id || undefined)}
    />
  )
}

/** Filters a list by a site, which is found by its name or street. */
export const SiteFilter = ({ id, onChange }: RecordFilterProps) => {
  const t = useMessages("recordPicker")
  const name = useCurrent(id === undefined ? undefined : siteNameQuery(id))
  return (
    <RecordPicker
      label={t.site}
      chosen={id === undefined ? t.everySite : (name ?? id)}
      search={siteChoicesQuery}
      options={({ data, totalItems }) => ({
        options: data.map((site) => ({ id: site.id, label: siteName(site), note: addressLine(site.address) })),
        isAll: totalItems <= data.length
      })}
      first={{ id: "", label: t.everySite }}
      onChoose={(option) => onChange(option.id || undefined)}
    />
  )
}
