import type { Schedule } from "@edp/domain/schedules/Schedule"
import { useMessages } from "../../i18n/useMessages.ts"
import { deviceChoicesQuery } from "../../resources/devices.ts"
import { deviceNameQuery } from "../../resources/names.ts"
import { followedSchedulesQuery } from "../../resources/schedules.ts"
import { Button } from "../../kit/Button.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { RecordPicker } from "../../kit/RecordPicker.tsx"
import { Badge, Card, Empty } from "../../kit/components.tsx"
import { currentValue, useAtomValue } from "../../state/atoms.ts"
import { isScheduled } from "./scheduleForm.ts"
import { Target } from "./targets.tsx"
import { Week } from "./Week.tsx"

const kindOfTarget = ({ target }: Schedule) =>
  "deviceId" in target ? "device" : "collectionId" in target ? "collection" : "tag"

interface OrderProps {
  readonly schedules: ReadonlyArray<Schedule>
  readonly onOpen: (id: string) => void
}

/** The schedules that include a device, the one that it follows first, each with the reason. */
const Order = ({ schedules, onOpen }: OrderProps) => {
  const t = useMessages("schedules")
  const [first] = schedules
  if (first === undefined) {
    return (
      <Empty icon="clock" title={t.followsNone}>
        {t.followsNoneHint}
      </Empty>
    )
  }
  return (
    <>
      <ol className="schedules-order">
        {schedules.map((schedule, index) => (
          <li key={schedule.id}>
            <Badge state={index === 0 ? "good" : "plain"}>{index === 0 ? t.follows : t.notFollowed}</Badge>{" "}
            <Button small tone="quiet" onClick={() => onOpen(schedule.id)}>
              {schedule.name}
            </Button>{" "}
            · <Target target={schedule.target} />{" "}
            <span className="muted">
              {index === 0
                ? t.why[kindOfTarget(schedule)]
                : t.whyNot[kindOfTarget(first) === "device" ? "device" : kindOfTarget(schedule)]}
            </span>
          </li>
        ))}
      </ol>
      <Week {...first} />
    </>
  )
}

const Chosen = ({ id, onClear }: { readonly id: string; readonly onClear: () => void }) => (
  <Button icon="cross" onClick={onClear}>
    {currentValue(useAtomValue(deviceNameQuery(id))) ?? id}
  </Button>
)

interface FollowedProps {
  /** The device of the address. */
  readonly device: string | undefined
  readonly onDevice: (id: string | undefined) => void
  readonly onOpen: (id: string) => void
}

/** Says which schedule a device follows, and why none of the others. */
export const Followed = ({ device, onDevice, onOpen }: FollowedProps) => {
  const t = useMessages("schedules")
  const { types } = useMessages("devices")
  return (
    <Card title={t.followed}>
      <div className="stack">
        {device === undefined ? (
          <RecordPicker
            label={t.ofDevice}
            hint={t.followedHint}
            chosen=""
            search={deviceChoicesQuery}
            options={({ body: { data, totalItems = data.length } }) => ({
              options: data
                .filter(({ type }) => isScheduled(type))
                .map(({ id, name, type }) => ({ id, label: name, note: types[type] })),
              isAll: totalItems <= data.length
            })}
            onChoose={({ id }) => onDevice(id)}
          />
        ) : (
          <>
            <div>
              <Chosen id={device} onClear={() => onDevice(undefined)} />
            </div>
            <Loaded query={followedSchedulesQuery(device)}>
              {({ data }) => <Order schedules={data} onOpen={onOpen} />}
            </Loaded>
          </>
        )}
        <p className="muted">{t.precedence}</p>
      </div>
    </Card>
  )
}
