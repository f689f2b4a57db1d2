import { FLEET_CSV_LIMIT, type FleetFilters } from "@edp/domain/dashboard/Fleet"
import { useApi } from "../../api/makeApi.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { FleetClient } from "../../resources/fleet.ts"
import { Button } from "../../kit/Button.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { messages } from "./messages.ts"

/** Hands a text to the browser as a file. */
const download = (text: string, name: string) => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Downloads the matching devices. A link could not send the chosen workspace. */
export const CsvButton = ({ filters, total }: { readonly filters: FleetFilters; readonly total: number }) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const toast = useToast()
  const call = useApi(FleetClient)
  const { busy, problem, run } = useAction(async () => {
    download(await call((client) => client.fleet.csv({ query: filters })), "devices.csv")
    if (total > FLEET_CSV_LIMIT) toast.failed(t.cut(formatNumber(language, total - FLEET_CSV_LIMIT)))
  })
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      <Button icon="download" busy={busy} onClick={() => void run()}>
        {t.csv}
      </Button>
    </>
  )
}
