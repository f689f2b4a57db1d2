import type { CreateDispatch } from "@edp/domain/dispatches/Dispatch"
import type { DispatchPreview } from "@edp/domain/dispatches/DispatchPreview"
import { formatNumber, formatQuantity } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Table } from "../../kit/Table.tsx"
import { Notice } from "../../kit/components.tsx"
import { useSettled } from "../../kit/useSettled.ts"
import { dispatchPreviewQuery } from "../../resources/dispatches.ts"

const useSentences = () => {
  const t = useMessages("dispatches")
  const language = useLanguage()
  const count = (value: number) => formatNumber(language, value)
  const watts = (value: number) => formatQuantity(language, value, "W")
  return (preview: DispatchPreview): ReadonlyArray<string> => {
    if (preview.sites === 0) return [t.noEnrolled]
    const { chargeW, dischargeW, dischargeWh, heldOutSites, powerUnknown, sites, sitesCounted, stoppedW } = preview
    return [
      t.reaches({ reached: count(preview.sitesReached), sites }),
      ...(sitesCounted < sites ? [t.counted({ sites: sitesCounted })] : []),
      ...(dischargeW > 0
        ? [t.discharges({ power: watts(dischargeW), energy: formatQuantity(language, dischargeWh, "Wh") })]
        : []),
      ...(chargeW > 0 ? [t.charges({ power: watts(chargeW) })] : []),
      ...(stoppedW > 0 ? [t.stopped({ power: watts(stoppedW) })] : []),
      ...(powerUnknown > 0 ? [t.unknownPower({ devices: count(powerUnknown) })] : []),
      ...(heldOutSites > 0 ? [t.heldOut({ sites: count(heldOutSites) })] : [])
    ]
  }
}

interface ForecastProps {
  readonly instanceId: string
  readonly dispatch: CreateDispatch
}

/** The sites that the dispatch would reach, with their power, and those that are left out, with the reason. */
export const DispatchForecast = ({ instanceId, dispatch }: ForecastProps) => {
  const t = useMessages("dispatches")
  const { codes } = useMessages("preview")
  const language = useLanguage()
  const sentences = useSentences()
  const settled = useSettled(dispatch)
  return (
    <Loaded query={dispatchPreviewQuery(instanceId, settled)}>
      {(preview) => (
        <Notice state={preview.sitesReached > 0 ? "good" : "warn"} title={t.preview} className="dispatch-forecast">
          <p>{sentences(preview).join(" ")}</p>
          {preview.groups.length > 0 && (
            <Table
              caption={t.preview}
              rows={preview.groups}
              id={({ code, outcome }) => `${outcome} ${code}`}
              columns={[
                {
                  id: "outcome",
                  header: t.outcome,
                  isName: true,
                  cell: ({ outcome }) => t.outcomes[outcome]
                },
                { id: "why", header: t.why, cell: ({ code }) => codes[code] },
                {
                  id: "sites",
                  header: t.participants,
                  align: "end",
                  cell: ({ sites }) => formatNumber(language, sites)
                }
              ]}
            />
          )}
        </Notice>
      )}
    </Loaded>
  )
}
