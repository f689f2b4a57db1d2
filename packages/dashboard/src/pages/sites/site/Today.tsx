import type { Site } from "@edp/domain/sites/Site"
import type { EnergyName } from "../../../api/energy.ts"
import { periodEnergyQuery } from "../../../resources/metrics.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { ButtonLink } from "../../../kit/ButtonLink.tsx"
import { EnergyFigures } from "../../../kit/EnergyFigures.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Card } from "../../../kit/components.tsx"
import { periodAt } from "../../../i18n/period.ts"
import { useAtomValue, useRefreshEvery } from "../../../state/atoms.ts"
import { minuteAtom } from "../../../state/now.ts"

const MINUTE = 60_000

const names: ReadonlyArray<EnergyName> = ["generation", "load", "imported", "exported", "charged", "discharged"]

/** The energies of the present day of a site. */
export const Today = ({ site, timeZone }: { readonly site: Site; readonly timeZone: string }) => {
  const t = useMessages("sites")
  const now = useAtomValue(minuteAtom)
  const day = periodAt(now, "day", timeZone)
  const query = periodEnergyQuery(site.id, day, timeZone)
  useRefreshEvery(query, MINUTE)
  return (
    <Card
      title={t.today}
      actions={
        <ButtonLink small icon="chart" to="/dashboard/energy" search={{ site: site.id }}>
          {t.moreEnergy}
        </ButtonLink>
      }
    >
      <Loaded key={day.from} query={query}>
        {(response) => <EnergyFigures response={response} now={now} names={names} isRunning />}
      </Loaded>
    </Card>
  )
}
