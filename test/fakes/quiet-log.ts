/** Collects what is logged and counted. */
import type { Metric, TimeMetric } from '../../core/effects.ts';
import type { Log } from '../../core/ports.ts';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

export class QuietLog implements Log {
  readonly lines: LogLine[] = [];
  readonly metrics: Metric[] = [];
  readonly times: { readonly metric: TimeMetric; readonly ms: number }[] = [];

  info(message: string, fields: Record<string, unknown> = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: Record<string, unknown> = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: Record<string, unknown> = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  count(metric: Metric): void {
    this.metrics.push(metric);
  }

  measure(metric: TimeMetric, ms: number): void {
    this.times.push({ metric, ms });
  }

  /** How often a metric was counted. */
  counted(metric: Metric): number {
    return this.metrics.filter((counted) => counted === metric).length;
  }
}
