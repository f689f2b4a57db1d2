import { Link } from "@tanstack/react-router"
import { useMessages } from "../../i18n/useMessages.ts"
import { destinationQuery } from "../../resources/destinations.ts"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { PageHeader } from "../../kit/components.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { Actions } from "./Actions.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { DeliveryDetails } from "./DeliveryDetails.tsx"
import { destinationName } from "./destinationState.ts"
import { Overview } from "./Overview.tsx"
import "./destination.css"

const route = pageRoute("/dashboard/destinations/$id")

export const Page = () => {
  const t = useMessages("destination")
  const id = route.useParams().id
  const delivery = route.useSearch().delivery
  const change = route.useChange()
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
            actions={<Actions found={found} />}
          />
          <Overview found={found} />
          <Deliveries id={id} />
          <DeliveryDetails
            id={id}
            deliveryId={delivery}
            canRedeliver={found.deactivatedAt === null && found.destinationType !== "MANUFACTURER_COMMAND"}
            onClose={() => change({ delivery: undefined }, { replace: true })}
          />
        </>
      )}
    </LoadedRecord>
  )
}
