import { useEffect, useState } from "react"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { deviceChoicesQuery, deviceQuery } from "../../resources/devices.ts"
import { Button } from "../../kit/Button.tsx"
import { TextField } from "../../kit/Field.tsx"
import { currentValue, useAtomValue, useLatest } from "../../state/atoms.ts"
import { SiteName } from "./SiteName.tsx"

const WAIT_MS = 300

const Matches = ({ text, onChoose }: { readonly text: string; readonly onChoose: (id: string) => void }) => {
  const t = useMessages("alerts")
  const found = useLatest(useAtomValue(deviceChoicesQuery(text, 5)))
  const kit = useMessages("kit")
  const language = useLanguage()
  if (found === undefined) return null
  const { data, totalItems: total = data.length } = found.body
  return data.length === 0 ? (
    <p className="muted">{t.noDevice}</p>
  ) : (
    <ul className="alerts-matches">
      {data.map(({ id, name }) => (
        <li key={id}>
          <Button small tone="quiet" onClick={() => onChoose(id)}>
            {name}
          </Button>
        </li>
      ))}
      {total > data.length && (
        <li className="muted">{kit.listedOf({ shown: `${data.length}`, total: formatNumber(language, total) })}</li>
      )}
    </ul>
  )
}

const Chosen = ({ id, onClear }: { readonly id: string; readonly onClear: () => void }) => {
  const t = useMessages("alerts")
  const device = currentValue(useAtomValue(deviceQuery(id)))
  return (
    <div className="field">
      <span>{t.device}</span>
      <Button icon="cross" title={t.allDevices} onClick={onClear}>
        {device?.name ?? id}
      </Button>
    </div>
  )
}

/** The site whose alerts are listed, which a link from its page chooses. */
export const SiteFilter = ({ id, onClear }: { readonly id: string; readonly onClear: () => void }) => {
  const t = useMessages("alerts")
  return (
    <div className="field">
      <span>{t.site}</span>
      <Button icon="cross" title={t.allSites} onClick={onClear}>
        <SiteName id={id} />
      </Button>
    </div>
  )
}

interface DeviceFilterProps {
  readonly id: string | undefined
  readonly onChange: (id: string | undefined) => void
}

/** Finds a device by the beginning of its name. */
export const DeviceFilter = ({ id, onChange }: DeviceFilterProps) => {
  const t = useMessages("alerts")
  const [text, setText] = useState("")
  const [asked, setAsked] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), WAIT_MS)
    return () => clearTimeout(timer)
  }, [text])
  if (id !== undefined) return <Chosen id={id} onClear={() => onChange(undefined)} />
  return (
    <div className="alerts-device">
      <TextField label={t.device} value={text} onChange={setText} placeholder={t.deviceHint} maxLength={100} />
      {asked !== "" && (
        <Matches
          text={asked}
          onChoose={(chosen) => {
            setText("")
            setAsked("")
            onChange(chosen)
          }}
        />
      )}
    </div>
  )
}
