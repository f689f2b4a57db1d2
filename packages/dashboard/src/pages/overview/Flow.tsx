import type { Overview } from "@edp/domain/dashboard/Overview"
import { formatExact, formatNumber, formatQuantity, formatShare } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Icon, type IconName } from "../../kit/Icon.tsx"
import { type FlowName, motionFor, places } from "./flow.ts"

const icons: Readonly<Record<FlowName, IconName>> = {
  solar: "sun",
  grid: "bolt",
  homes: "home",
  batteries: "battery",
  charging: "plug"
}

const names = Object.keys(places) as ReadonlyArray<FlowName>

/** The words for power in one direction, the other, and none. A part without a direction has none for it. */
type Directions = { readonly [sign in "negative" | "positive" | "zero"]?: string }

const FlowNode = ({ name, overview }: { readonly name: FlowName; readonly overview: Overview }) => {
  const t = useMessages("overview")
  const language = useLanguage()
  const { reason, silent, unmeasured, value } = overview.power[name]
  const number = (count: number) => formatNumber(language, count)
  const directions: Directions = t.directions[name]
  const notes =
    reason !== null
      ? [t.reasons[reason]]
      : [
          directions[value! < 0 ? "negative" : value! > 0 ? "positive" : "zero"] ?? "",
          name === "batteries" && overview.storedShare !== null
            ? t.stored({ share: formatShare(language, overview.storedShare) })
            : "",
          silent > 0 ? t.silent({ count: number(silent) }) : "",
          unmeasured > 0 ? t.unmeasured({ count: number(unmeasured) }) : ""
        ]
  const note = notes.filter((each) => each !== "").join(" · ")
  const [x, y] = places[name]
  return (
    <li className={`overview-part at-${name}`} style={{ left: `${x}%`, top: `${y}%` }}>
      <span className="overview-part-name">
        <Icon name={icons[name]} size={16} />
        {t[name]}
      </span>
      <span className="overview-part-value" title={value === null ? undefined : formatExact(language, value, "W")}>
        {value === null ? "–" : formatQuantity(language, Math.abs(value), "W")}
      </span>
      <span className="overview-part-note" title={note}>
        {note}
      </span>
    </li>
  )
}

/** The power between the parts of the workspace. Lines move as the power flows; each part says the same in words. */
export const Flow = ({ isOld, overview }: { readonly isOld: boolean; readonly overview: Overview }) => {
  const t = useMessages("overview")
  const greatest = Math.max(0, ...names.map((name) => Math.abs(overview.power[name].value ?? 0)))
  return (
    <div className="overview-flow">
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {names.map((name) => {
          const [x, y] = places[name]
          const motion = isOld ? undefined : motionFor(name, overview.power[name].value, greatest)
          return (
            <g key={name} className={`overview-line at-${name}`}>
              <path d={`M${x},${y} L50,50`} className="overview-wire" />
              {motion !== undefined && (
                <path
                  d={`M${x},${y} L50,50`}
                  className="overview-current"
                  data-flow={motion.isIn ? "in" : "out"}
                  style={{
                    animationDuration: `${motion.seconds.toFixed(2)}s`,
                    animationDirection: motion.isIn ? "normal" : "reverse",
                    strokeWidth: motion.width
                  }}
                />
              )}
            </g>
          )
        })}
      </svg>
      <span className="overview-hub" aria-hidden="true" />
      <ul aria-label={t.power}>
        {names.map((name) => (
          <FlowNode key={name} name={name} overview={overview} />
        ))}
      </ul>
    </div>
  )
}
