import type { DispatchAction, DispatchActions } from "@edp/domain/dispatches/Dispatch"

const formatAction = (action: DispatchAction) => {
  const { operatingMode, ...fields } = action as Readonly<Record<string, unknown>>
  const named = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`)
  return (operatingMode === undefined ? named : [String(operatingMode), ...named]).join(" ")
}

/** `battery discharge minimumBatteryReserve=20; charger stop-charging`, or `battery targetPowerW=2000`. */
export const formatActions = (actions: DispatchActions, between: string) =>
  Object.entries(actions)
    .map(([type, action]) => `${type} ${formatAction(action)}`)
    .join(between)
