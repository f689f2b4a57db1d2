import { FLEET_CSV_LIMIT, type FleetFilters } from "@edp/domain/dashboard/Fleet"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { FleetClient } from "../../resources/fleet.ts"
import { Button } from "../../kit/Button.tsx"
import { saveText } from "../../kit/download.ts"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"

interface CsvButtonProps {
  readonly query: FleetFilters & { readonly id?: ReadonlyArray<string> }
  /** Devices that the query finds. */
  readonly total: number
  readonly small?: boolean
}

/** Downloads the matching devices. A link could not send the chosen workspace. */
export const CsvButton = ({ query, small = false, total }: CsvButtonProps) => {
  const t = useMessages("fleet")
  const toast = useToast()
  const call = useApi(FleetClient)
  const { busy, problem, run } = useAction(async () => {
    saveText("devices.csv", "text/csv", await call((client) => client.fleet.csv({ query })))
    if (total > FLEET_CSV_LIMIT) toast.failed(t.cut({ count: total - FLEET_CSV_LIMIT }))
  })
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      <Button icon="download" small={small} busy={busy} onClick={() => void run()}>
        {t.csv}
      </Button>
    </>
  )
}
