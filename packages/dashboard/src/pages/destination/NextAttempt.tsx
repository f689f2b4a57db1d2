import type { Delivery } from "@edp/domain/destinations/Delivery"
import { useMessages } from "../../i18n/useMessages.ts"
import { Age, toMillis } from "../../kit/Figure.tsx"
import { useAtomValue } from "../../state/atoms.ts"
import { tickAtom } from "../../state/now.ts"

/** When a delivery is tried next. Its time may have passed, such as while its destination is paused. */
export const NextAttempt = ({ delivery }: { readonly delivery: Delivery }) => {
  const t = useMessages("destination")
  const now = useAtomValue(tickAtom)
  const time = delivery.nextAttemptAt
  if (delivery.status !== "pending") return "–"
  return time === null || toMillis(time) <= now ? t.due : <Age time={time} live />
}
