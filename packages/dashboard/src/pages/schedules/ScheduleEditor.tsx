import type { Device } from "@edp/domain/devices/Device"
import type { CommandType } from "@edp/domain/devices/DeviceType"
import { modeCommand, type Schedule, type ScheduledType, scheduledTypes } from "@edp/domain/schedules/Schedule"
import { canonicalTimezone } from "@edp/domain/shared/Timezone"
import { Atom, AsyncResult } from "effect/reactivity"
import { useId, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { collectionChoicesQuery } from "../../resources/collections.ts"
import { deviceChoicesQuery, deviceQuery } from "../../resources/devices.ts"
import { scheduleQuery, SchedulesClient, schedulesChanged } from "../../resources/schedules.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { type PickerOption, RecordPicker } from "../../kit/RecordPicker.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { type Act, useAction } from "../../kit/useAction.ts"
import { currentValue, useAtomValue } from "../../state/atoms.ts"
import { PlanFields } from "./PlanFields.tsx"
import {
  commandOfType,
  defaultInput,
  defaultPatch,
  isScheduled,
  newPlan,
  planFromSchedule,
  rulesInput,
  withoutModes
} from "./scheduleForm.ts"

const timeZones = Intl.supportedValuesOf("timeZone")

interface TimeZoneFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isRequired: boolean
  readonly problem: string | undefined
}

const TimeZoneField = ({ value, onChange, isRequired, problem }: TimeZoneFieldProps) => {
  const t = useMessages("schedules")
  const zones = useId()
  const isKnown = value.trim() === "" || canonicalTimezone(value.trim()) !== undefined
  return (
    <>
      <TextField
        label={t.timezone}
        {...(!isRequired && { hint: t.timezoneHint })}
        value={value}
        onChange={onChange}
        problem={problem}
        invalid={isKnown ? undefined : t.noTimezone}
        list={zones}
        required={isRequired}
      />
      <datalist id={zones}>
        {timeZones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}

const noDevice = Atom.make(AsyncResult.initial<Device>())

/** The command whose input a device takes as a mode; undefined before it is read, null if the device has none. */
const useDeviceCommand = (id: string | undefined): CommandType | null | undefined => {
  const device = currentValue(
    useAtomValue<AsyncResult.AsyncResult<Device, unknown>>(id === undefined ? noDevice : deviceQuery(id))
  )
  if (device === undefined) return undefined
  if (!isScheduled(device.type)) return null
  const slug = modeCommand(device.type)
  return device.availableCommands.find((command) => command.slug === slug) ?? null
}

const detail = ({ problem }: Pick<Act<never, unknown>, "problem">, name: string) =>
  problem?.kind === "refused" ? problem.details[name] : undefined

interface WriterProps {
  readonly onClose: () => void
}

type Kind = "device" | "tag" | "collection"

const NewSchedule = ({ onClose }: WriterProps) => {
  const t = useMessages("schedules")
  const { types } = useMessages("devices")
  const toast = useToast()
  const call = useApi(SchedulesClient)
  const [name, setName] = useState("")
  const [kind, setKind] = useState<Kind>("device")
  const [device, setDevice] = useState<PickerOption>()
  const [collection, setCollection] = useState<PickerOption>()
  const [tag, setTag] = useState("")
  const [type, setType] = useState<ScheduledType>("battery")
  const [timezone, setTimezone] = useState("")
  const [plan, setPlan] = useState(newPlan)
  const deviceCommand = useDeviceCommand(kind === "device" ? device?.id : undefined)
  const command = kind === "device" ? deviceCommand : commandOfType(type)
  // Modes of another type are none of this one.
  const [slug, setSlug] = useState(command?.slug)
  if (command && command.slug !== slug) {
    setSlug(command.slug)
    setPlan(withoutModes(plan))
  }
  const save = useAction((modes: CommandType) =>
    call(
      (client) =>
        client.schedules.create({
          payload: {
            name: name.trim(),
            target:
              kind === "device"
                ? { deviceId: device!.id }
                : kind === "tag"
                  ? { tag: tag.trim() }
                  : { collectionId: collection!.id },
            ...(kind !== "device" && { deviceType: type }),
            ...(timezone.trim() !== "" && { timezone: timezone.trim() }),
            rules: rulesInput(modes, plan.rules),
            defaultMode: defaultInput(modes, plan.defaultMode)
          }
        }),
      schedulesChanged
    )
  )
  const submit = async () => {
    if (!command) return
    const made = await save.run(command)
    if (made === undefined) return
    toast.done(t.created)
    onClose()
  }
  return (
    <DialogForm act={save} action={t.save} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        problem={detail(save, "name")}
        maxLength={255}
        required
        autoFocus
      />
      <div className="command-inputs schedules-target">
        <SelectField
          label={t.target}
          value={kind}
          options={(["device", "tag", "collection"] as const).map((value) => ({ value, label: t.kinds[value] }))}
          onChange={setKind}
        />
        {kind === "device" && (
          <RecordPicker
            label={t.ofDevice}
            chosen={device?.label ?? ""}
            required
            search={deviceChoicesQuery}
            options={({ body: { data, totalItems = data.length } }) => ({
              options: data
                .filter((each) => isScheduled(each.type))
                .map((each) => ({ id: each.id, label: each.name, note: types[each.type] })),
              isAll: totalItems <= data.length
            })}
            onChoose={setDevice}
          />
        )}
        {kind === "tag" && (
          <TextField
            label={t.tag}
            value={tag}
            onChange={setTag}
            problem={detail(save, "target.tag")}
            maxLength={100}
            required
          />
        )}
        {kind === "collection" && (
          <RecordPicker
            label={t.collection}
            chosen={collection?.label ?? ""}
            required
            search={collectionChoicesQuery}
            options={({ data, totalItems }) => ({
              options: data.map((each) => ({ id: each.id, label: each.name })),
              isAll: totalItems <= data.length
            })}
            onChoose={setCollection}
          />
        )}
        {kind !== "device" && (
          <SelectField
            label={t.type}
            value={type}
            options={scheduledTypes.map((value) => ({ value, label: types[value] }))}
            onChange={setType}
          />
        )}
      </div>
      {command === null && <p className="field-problem">{t.noModes}</p>}
      {command && <PlanFields command={command} plan={plan} onChange={setPlan} problem={save.problem} />}
      <TimeZoneField value={timezone} onChange={setTimezone} isRequired={false} problem={detail(save, "timezone")} />
      <p className="muted">{t.precedence}</p>
    </DialogForm>
  )
}

interface ChangeProps extends WriterProps {
  readonly schedule: Schedule
  readonly command: CommandType
}

const ChangeSchedule = ({ schedule, command, onClose }: ChangeProps) => {
  const t = useMessages("schedules")
  const toast = useToast()
  const call = useApi(SchedulesClient)
  const [name, setName] = useState(schedule.name)
  const [timezone, setTimezone] = useState(schedule.timezone)
  const [plan, setPlan] = useState(() => planFromSchedule(schedule))
  const save = useAction(() =>
    call(
      (client) =>
        client.schedules.update({
          params: { id: schedule.id },
          payload: {
            name: name.trim(),
            timezone: timezone.trim(),
            rules: rulesInput(command, plan.rules),
            defaultMode: defaultPatch(schedule.defaultMode, defaultInput(command, plan.defaultMode)) as never
          }
        }),
      schedulesChanged
    )
  )
  const submit = async () => {
    const changed = await save.run()
    if (changed === undefined) return
    toast.done(t.changed)
    onClose()
  }
  return (
    <DialogForm act={save} action={t.save} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        problem={detail(save, "name")}
        maxLength={255}
        required
      />
      <PlanFields command={command} plan={plan} onChange={setPlan} problem={save.problem} />
      <TimeZoneField value={timezone} onChange={setTimezone} isRequired problem={detail(save, "timezone")} />
    </DialogForm>
  )
}

/** The limits of its device apply to the modes. A device that has lost the command keeps its schedule. */
const ChangeOfDevice = ({ id, ...rest }: Omit<ChangeProps, "command"> & { readonly id: string }) => {
  const command = useDeviceCommand(id)
  return (
    command !== undefined && <ChangeSchedule {...rest} command={command ?? commandOfType(rest.schedule.deviceType)} />
  )
}

interface ScheduleEditorProps {
  /** `new`, the id of a schedule, or undefined while the editor is closed. */
  readonly edited: string | undefined
  readonly onClose: () => void
}

/** Makes or changes a schedule in a dialog. */
export const ScheduleEditor = ({ edited, onClose }: ScheduleEditorProps) => {
  const t = useMessages("schedules")
  const isNew = edited === undefined || edited === "new"
  return (
    <Dialog open={edited !== undefined} onClose={onClose} title={isNew ? t.create : t.changeTitle} wide>
      {edited === "new" && <NewSchedule onClose={onClose} />}
      {!isNew && (
        <Loaded query={scheduleQuery(edited)}>
          {(schedule) =>
            "deviceId" in schedule.target ? (
              <ChangeOfDevice key={schedule.id} id={schedule.target.deviceId} schedule={schedule} onClose={onClose} />
            ) : (
              <ChangeSchedule
                key={schedule.id}
                schedule={schedule}
                command={commandOfType(schedule.deviceType)}
                onClose={onClose}
              />
            )
          }
        </Loaded>
      )}
    </Dialog>
  )
}
