import "./overview.css"
import { connectionAtom } from "../../api/connection.ts"
import { workspaceAtom } from "../../api/session.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { Age } from "../../kit/Figure.tsx"
import { FirstSteps } from "../../kit/FirstSteps.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card, PageHeader } from "../../kit/components.tsx"
import { overviewEnergyQuery, overviewQuery } from "../../resources/overview.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { tickAtom } from "../../state/now.ts"
import { Attention } from "./Attention.tsx"
import { Dispatchable, Next, Today } from "./Figures.tsx"
import { Flow } from "./Flow.tsx"
import { useLiveOverview } from "./useLiveOverview.ts"

/** Milliseconds after which the picture stands still. */
const OLD = 60_000

/** The workspace now: power, energy, what could be dispatched, what needs somebody, and what is next. */
export const Page = () => {
  const t = useMessages("overview")
  const { timezone: timeZone = "UTC" } = useAtomValue(workspaceAtom) ?? {}
  const connection = useAtomValue(connectionAtom)
  const now = useAtomValue(tickAtom)
  useLiveOverview()
  return (
    <Loaded query={overviewQuery}>
      {(overview) => {
        if (overview.devices === 0) {
          return (
            <>
              <PageHeader title={t.title} />
              <FirstSteps />
            </>
          )
        }
        const isOld = connection.kind === "offline" || now - Date.parse(overview.asOf) > OLD
        return (
          <div className="overview">
            <PageHeader
              title={t.title}
              lead={
                <>
                  {t.asOf} <Age time={overview.asOf} live />
                </>
              }
            />
            <Card title={t.power}>
              {isOld && <p className="overview-note">{t.old}</p>}
              <Flow overview={overview} isOld={isOld} />
            </Card>
            <Attention attention={overview.attention} />
            <Loaded query={overviewEnergyQuery}>{(energy) => <Today energy={energy} timeZone={timeZone} />}</Loaded>
            <Dispatchable dispatchable={overview.dispatchable} />
            <Next overview={overview} timeZone={timeZone} />
          </div>
        )
      }}
    </Loaded>
  )
}
