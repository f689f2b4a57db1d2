import { workspaceAtom } from "../api/session.ts"
import { useAtomValue } from "../state/atoms.ts"
import { InstantField } from "./InstantField.tsx"
import type { Change } from "./useChange.ts"

interface Bounds {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

interface TimeFiltersProps {
  readonly labels: { readonly from: string; readonly to: string }
  /** The parameters of the address, which are instants. */
  readonly search: Bounds
  readonly onChange: Change<Bounds>
}

/** Filters of a list by its time, in the time zone of the workspace. */
export const TimeFilters = ({ labels, search, onChange }: TimeFiltersProps) => {
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  return (["from", "to"] as const).map((name) => {
    const time = Date.parse(search[name] ?? "")
    return (
      <InstantField
        key={name}
        label={labels[name]}
        value={Number.isNaN(time) ? undefined : time}
        timeZone={timeZone}
        onChange={(next) =>
          onChange(
            { [name]: next === undefined ? undefined : new Date(next).toISOString() },
            { replace: search[name] !== undefined }
          )
        }
      />
    )
  })
}
