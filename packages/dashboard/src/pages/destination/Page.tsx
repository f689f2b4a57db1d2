import { Link, useParams } from "@tanstack/react-router"
import { useTexts } from "../../i18n/useTexts.ts"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { PageHeader } from "../../kit/Parts.tsx"
import { useParameters } from "../../kit/useParameters.ts"
import { Acts } from "./Acts.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { DeliveryDetails } from "./DeliveryDetails.tsx"
import { destinationName } from "./destinationState.ts"
import { Overview } from "./Overview.tsx"
import { destinationQuery } from "./queries.ts"
import { texts } from "./texts.ts"
import "./destination.css"

export const Page = () => {
  const t = useTexts(texts)
  const { id } = useParams({ from: "/dashboard/destinations/$id" })
  const [parameters, change] = useParameters()
  const query = destinationQuery(id)
  const above = <Link to="/dashboard/destinations">{t.above}</Link>
  return (
    <LoadedRecord key={id} query={query} title={t.title} above={above}>
      {(found) => (
        <>
          <PageHeader
            title={destinationName(found)}
            lead={t.types[found.destinationType]}
            above={above}
            actions={<Acts found={found} />}
          />
          <Overview found={found} />
          <Deliveries id={id} />
          <DeliveryDetails
            id={id}
            deliveryId={parameters["delivery"]}
            canRedeliver={found.deactivatedAt === null && found.destinationType !== "MANUFACTURER_COMMAND"}
            onClose={() => change({ delivery: undefined }, { replace: true })}
          />
        </>
      )}
    </LoadedRecord>
  )
}
