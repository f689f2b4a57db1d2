import { useEffect, useState } from "react"
import { useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { TextField } from "../../kit/Field.tsx"
import { useAtomValue, useLatest } from "../../state/atoms.ts"
import { deviceQuery, deviceSearch } from "./queries.ts"
import { SiteName } from "./SiteName.tsx"
import { texts } from "./texts.ts"

const WAIT_MS = 300

const Matches = ({ text, onChoose }: { readonly text: string; readonly onChoose: (id: string) => void }) => {
  const t = useTexts(texts)
  const found = useLatest(useAtomValue(deviceSearch(text)))
  if (found === undefined) return null
  return found.body.data.length === 0 ? (
    <p className="muted">{t.noDevice}</p>
  ) : (
    <ul className="alerts-matches">
      {found.body.data.map(({ id, name }) => (
        <li key={id}>
          <Button small tone="quiet" onClick={() => onChoose(id)}>
            {name}
          </Button>
        </li>
      ))}
    </ul>
  )
}

const Chosen = ({ id, onClear }: { readonly id: string; readonly onClear: () => void }) => {
  const t = useTexts(texts)
  const device = useLatest(useAtomValue(deviceQuery(id)))
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
  const t = useTexts(texts)
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
  const t = useTexts(texts)
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
