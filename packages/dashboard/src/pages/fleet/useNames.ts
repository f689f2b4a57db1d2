import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import { useTexts } from "../../i18n/useTexts.ts"
import { texts } from "./texts.ts"

/** Names of values for people. */
export const useNames = () => {
  const t = useTexts(texts)
  return {
    type: (type: DeviceType) => (type === "unknown" ? t.unknownType : t[type]),
    onlineStatus: (status: OnlineStatus) => t[status]
  }
}
