import type { NumberType } from "./points.ts"

/**
 * The points that are read or written, by model. Offsets count registers from the model's id; the length of a model in its
 * second register counts those after it. Source: the model definitions of the SunSpec Alliance (sunspec/models, Apache-2.0).
 */
export interface PointDefinition {
  readonly offset: number
  readonly type: NumberType | "string"
  /** Registers of a text. */
  readonly length?: number
  /** The point that holds the scale factor. */
  readonly scale?: string
  readonly unit?: string
  readonly writable?: true
}

export interface ModelDefinition {
  readonly name: string
  readonly points: Readonly<Record<string, PointDefinition>>
  /** Repeated blocks, as many as the point `count` says. */
  readonly blocks?: {
    readonly count: string
    readonly offset: number
    readonly length: number
    readonly points: Readonly<Record<string, PointDefinition>>
  }
}

/** "14 int16 W_SF W rw" is offset, type, scale factor (- if none), unit (- if none) and rw for points that are written. */
const points = (rows: Readonly<Record<string, string>>): Readonly<Record<string, PointDefinition>> =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => {
      const [offset, type, scale = "-", unit = "-", access] = row.split(" ")
      const [kind, length] = type!.split(":")
      return [
        name,
        {
          offset: Number(offset),
          type: kind as PointDefinition["type"],
          ...(length === undefined ? {} : { length: Number(length) }),
          ...(scale === "-" ? {} : { scale }),
          ...(unit === "-" ? {} : { unit }),
          ...(access === "rw" ? { writable: true as const } : {})
        }
      ]
    })
  )

const common = points({
  Mn: "2 string:16",
  Md: "18 string:16",
  Vr: "42 string:8",
  SN: "50 string:16"
})

/** Models 101 to 103. */
const inverter = points({
  A: "2 uint16 A_SF A",
  A_SF: "6 sunssf",
  PhVphA: "10 uint16 V_SF V",
  V_SF: "13 sunssf",
  W: "14 int16 W_SF W",
  W_SF: "15 sunssf",
  WH: "24 acc32 WH_SF Wh",
  WH_SF: "26 sunssf",
  DCW: "31 int16 DCW_SF W",
  DCW_SF: "32 sunssf",
  St: "38 enum16",
  Evt1: "40 bitfield32"
})

/** Models 111 to 113. */
const inverterFloat = points({
  A: "2 float32 - A",
  PhVphA: "16 float32 - V",
  W: "22 float32 - W",
  WH: "32 float32 - Wh",
  DCW: "38 float32 - W",
  St: "48 enum16",
  Evt1: "50 bitfield32"
})

/** Models 201 to 204. */
const meter = points({
  A: "2 int16 A_SF A",
  A_SF: "6 sunssf",
  PhV: "7 int16 V_SF V",
  PhVphA: "8 int16 V_SF V",
  V_SF: "15 sunssf",
  W: "18 int16 W_SF W",
  W_SF: "22 sunssf",
  TotWhExp: "38 acc32 TotWh_SF Wh",
  TotWhImp: "46 acc32 TotWh_SF Wh",
  TotWh_SF: "54 sunssf"
})

/** Models 211 to 214. */
const meterFloat = points({
  A: "2 float32 - A",
  PhV: "10 float32 - V",
  PhVphA: "12 float32 - V",
  W: "28 float32 - W",
  TotWhExp: "60 float32 - Wh",
  TotWhImp: "68 float32 - Wh"
})

const several = (ids: ReadonlyArray<number>, name: string, definition: ModelDefinition["points"]) =>
  ids.map((id): readonly [number, ModelDefinition] => [id, { name, points: definition }])

export const models: ReadonlyMap<number, ModelDefinition> = new Map<number, ModelDefinition>([
  [1, { name: "common", points: common }],
  ...several([101, 102, 103], "inverter", inverter),
  ...several([111, 112, 113], "inverter, float", inverterFloat),
  ...several([201, 202, 203, 204], "meter", meter),
  ...several([211, 212, 213, 214], "meter, float", meterFloat),
  [
    120,
    {
      name: "nameplate",
      points: points({
        DERTyp: "2 enum16",
        WRtg: "3 uint16 WRtg_SF W",
        WRtg_SF: "4 sunssf",
        WHRtg: "19 uint16 WHRtg_SF Wh",
        WHRtg_SF: "20 sunssf",
        MaxChaRte: "23 uint16 MaxChaRte_SF W",
        MaxChaRte_SF: "24 sunssf",
        MaxDisChaRte: "25 uint16 MaxDisChaRte_SF W",
        MaxDisChaRte_SF: "26 sunssf"
      })
    }
  ],
  [121, { name: "settings", points: points({ WMax: "2 uint16 WMax_SF W", WMax_SF: "22 sunssf" }) }],
  [
    124,
    {
      name: "storage",
      points: points({
        WChaMax: "2 uint16 WChaMax_SF W",
        StorCtl_Mod: "5 bitfield16 - - rw",
        MinRsvPct: "7 uint16 MinRsvPct_SF % rw",
        ChaState: "8 uint16 ChaState_SF %",
        ChaSt: "11 enum16",
        OutWRte: "12 int16 InOutWRte_SF % rw",
        InWRte: "13 int16 InOutWRte_SF % rw",
        InOutWRte_RvrtTms: "15 uint16 - s rw",
        ChaGriSet: "17 enum16 - - rw",
        WChaMax_SF: "18 sunssf",
        MinRsvPct_SF: "21 sunssf",
        ChaState_SF: "22 sunssf",
        InOutWRte_SF: "25 sunssf"
      })
    }
  ],
  [
    160,
    {
      name: "multiple MPPT",
      points: points({ DCW_SF: "4 sunssf", DCWH_SF: "5 sunssf", N: "8 count" }),
      blocks: {
        count: "N",
        offset: 10,
        length: 20,
        points: points({ ID: "0 uint16", IDStr: "1 string:8", DCW: "11 uint16 DCW_SF W", DCWH: "12 acc32 DCWH_SF Wh" })
      }
    }
  ],
  [
    701,
    {
      name: "DER AC measurement",
      points: points({
        St: "3 enum16",
        InvSt: "4 enum16",
        Alrm: "6 bitfield32",
        W: "10 int16 W_SF W",
        TotWhInj: "19 uint64 TotWh_SF Wh",
        TotWhAbs: "23 uint64 TotWh_SF Wh",
        W_SF: "116 sunssf",
        TotWh_SF: "120 sunssf"
      })
    }
  ],
  [
    702,
    {
      name: "DER capacity",
      points: points({
        WMaxRtg: "2 uint16 W_SF W",
        WChaRteMaxRtg: "10 uint16 W_SF W",
        WDisChaRteMaxRtg: "11 uint16 W_SF W",
        WMax: "26 uint16 W_SF W",
        WChaRteMax: "34 uint16 W_SF W",
        WDisChaRteMax: "35 uint16 W_SF W",
        W_SF: "45 sunssf"
      })
    }
  ],
  [703, { name: "DER enter service", points: points({ ES: "2 enum16" }) }],
  [
    704,
    {
      name: "DER AC controls",
      points: points({
        WSetEna: "22 enum16 - - rw",
        WSetMod: "23 enum16 - - rw",
        WSet: "24 int32 WSet_SF W rw",
        WSetEnaRvrt: "30 enum16 - - rw",
        WSetRvrtTms: "31 uint32 - s rw",
        WSetRvrtRem: "33 uint32 - s",
        WSet_SF: "55 sunssf"
      })
    }
  ],
  [
    713,
    {
      name: "DER storage capacity",
      points: points({
        WHRtg: "2 uint16 WH_SF Wh",
        WHAvail: "3 uint16 WH_SF Wh",
        SoC: "4 uint16 Pct_SF %",
        Sta: "6 enum16",
        WH_SF: "7 sunssf",
        Pct_SF: "8 sunssf"
      })
    }
  ],
  [
    714,
    {
      name: "DER DC measurement",
      points: points({ NPrt: "4 uint16", DCW_SF: "17 sunssf" }),
      blocks: {
        count: "NPrt",
        offset: 20,
        length: 25,
        points: points({ PrtTyp: "0 enum16", DCW: "12 int16 DCW_SF W" })
      }
    }
  ],
  [
    802,
    {
      name: "battery",
      points: points({
        WHRtg: "3 uint16 WHRtg_SF Wh",
        WChaRteMax: "4 uint16 WChaDisChaMax_SF W",
        WDisChaRteMax: "5 uint16 WChaDisChaMax_SF W",
        SocRsvMax: "9 uint16 SoC_SF % rw",
        SoCRsvMin: "10 uint16 SoC_SF % rw",
        SoC: "11 uint16 SoC_SF %",
        ChaSt: "16 enum16",
        State: "22 enum16",
        Evt1: "26 bitfield32",
        W: "47 int16 W_SF W",
        WHRtg_SF: "53 sunssf",
        WChaDisChaMax_SF: "54 sunssf",
        SoC_SF: "56 sunssf",
        W_SF: "63 sunssf"
      })
    }
  ]
])
