#pragma once

// C11 7.12 · macOS 10.0, iOS 2.0
double ceil(double x);
double exp(double x);
double fabs(double x);
double floor(double x);
double pow(double x, double y);
double sin(double x);
double sqrt(double x);
float cosf(float x);
float fabsf(float x);
float floorf(float x);
float sinf(float x);
float sqrtf(float x);
